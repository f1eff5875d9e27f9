import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toFile } from '../../../src/main/platform/log-file.ts';

let dir: string;
beforeEach(() => void (dir = mkdtempSync(path.join(tmpdir(), 'countersign-log-'))));
afterEach(() => rmSync(dir, { recursive: true }));

describe('the log file', () => {
  it('is readable by its owner only, and keeps the lines before it beside it when it grows too long', () => {
    const file = path.join(dir, 'log');
    const write = toFile(file, () => expect.unreachable(), 25);
    for (const number of [1, 2, 3]) write(`{"event":"n${number}"}\n`);
    expect(readFileSync(file, 'utf8')).toBe('{"event":"n3"}\n');
    expect(readFileSync(`${file}.1`, 'utf8')).toBe('{"event":"n2"}\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('that cannot be written loses no line: it goes elsewhere with the reason', () => {
    const instead: string[] = [];
    const write = toFile(path.join(dir, 'gone', 'log'), (line) => void instead.push(line));
    write('{"event":"kept"}\n');
    expect(instead.map((line) => JSON.parse(line) as unknown)).toEqual([{ event: 'kept', notInFile: 'ENOENT' }]);
  });
});
