import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const program = `
  import { createHash } from 'node:crypto';
  import { askPassphrase } from '${path.resolve('src/main/platform/passphrase-terminal.ts')}';
  const given = await askPassphrase({ isNew: process.argv[1] === 'new', input: process.stdin, output: process.stdout });
  console.log('answer:' + (given === undefined ? 'none' : createHash('sha256').update(given).digest('hex')));
  console.log('raw:' + process.stdin.isRaw);
`;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Runs the program at a real terminal and types the next line whenever it shows a question. Gives everything the terminal showed. */
async function atTerminal(kind: 'new' | 'known', lines: readonly string[]): Promise<string> {
  const words = ['--input-type=module', '-e', program, kind].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const child = spawn('script', ['-qec', `'${process.execPath}' ${words.join(' ')}`, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const left = [...lines];
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (text.includes(': ') && !text.includes('answer:')) {
      const line = left.shift();
      if (line !== undefined) child.stdin.write(line);
    }
  });
  await new Promise((resolve) => child.once('close', resolve));
  return shown;
}

describe.runIf(process.platform === 'linux')('a passphrase at the terminal', () => {
  it('is taken without being shown, corrections included, and the terminal is left as it was', async () => {
    const shown = await atTerminal('known', ['swordfissh\u007f\u007fh ☂\r']);
    expect(shown).toContain(`answer:${sha256('swordfish ☂')}`);
    expect(shown).toContain('raw:false');
    expect(shown).not.toContain('sword');
  });

  it('is asked twice when it is a new one', async () => {
    expect(await atTerminal('new', ['swordfish 1\r', 'swordfish 1\r'])).toContain(`answer:${sha256('swordfish 1')}`);
    const differing = await atTerminal('new', ['swordfish 1\r', 'swordfish 2\r']);
    expect(differing).toContain('The two differ.');
    expect(differing).toContain('answer:none');
  });

  it('is none when the person gives up', async () => {
    for (const key of ['\u0003', '\u0004']) expect(await atTerminal('known', [`sword${key}`])).toContain('answer:none');
  });
});
