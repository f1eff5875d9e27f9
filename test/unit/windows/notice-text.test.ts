import { describe, expect, it } from 'vitest';
import { noticeText } from '../../../src/main/windows/notice-text.ts';

const notice = (subject: string | null) => noticeText({ handle: 'h', client: 'Cursor', subject, target: 'local-fs' });

describe('the text of a notification', () => {
  it('names the client, the tool and the target', () => {
    expect(notice('write_file')).toBe('Cursor wants to run write_file on local-fs.');
  });

  it('says what else than running is asked for', () => {
    expect(noticeText({ handle: 'h', client: 'ana', subject: 'prod-db', target: 'countersign', verb: 'change' })).toBe('ana wants to change prod-db on countersign.');
    expect(noticeText({ handle: 'h', client: 'Cursor', subject: 'deploy', target: 'deployer', asks: true })).toBe('deployer asks you something, while it runs deploy for Cursor.');
  });

  it.each([null, '', 'delete\u2028_all', 'two words', 'a'.repeat(129), '\u202etool', 'p\u0430y', '<b>x</b>'])('says "a tool" for %j', (subject) => {
    expect(notice(subject)).toBe('Cursor wants to run a tool on local-fs.');
  });
});
