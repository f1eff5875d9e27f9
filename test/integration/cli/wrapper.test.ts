import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let folder: string;
let script: string;

/** The script of the installed package beside a command line and an app that only say who they are and what they were given. */
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-wrapper-'));
  script = path.join(folder, 'resources', 'countersign');
  mkdirSync(path.dirname(script));
  writeFileSync(script, readFileSync('scripts/package/countersign.sh', 'utf8').replace('/usr/bin/node', process.execPath));
  writeFileSync(path.join(folder, 'resources', 'cli.mjs'), "console.log(['cli', ...process.argv.slice(2)].join(' '))");
  writeFileSync(path.join(folder, 'countersign'), '#!/bin/sh\necho app "$@"\n');
  for (const program of [script, path.join(folder, 'countersign')]) chmodSync(program, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the command of the installed package', () => {
  it.each<readonly [string, string]>([
    ['', 'app'], ['--data-dir D --port 0', 'app'], ['-p DROP', 'app'], ['--config F --ozone-platform=x11', 'app'], ['--port=0', 'app'],
    ['handles', 'cli'], ['handles --all', 'cli'], ['--data-dir D handles', 'cli'], ['--json targets', 'cli'], ['--data-dir=D show H', 'cli'], ['--help', 'cli'], ['--version', 'cli'],
  ])('given "%s" starts the %s', (words, who) => {
    const said = execFileSync('sh', [script, ...words.split(' ').filter((word) => word !== '')], { encoding: 'utf8', env: { PATH: process.env['PATH'], DISPLAY: ':0' } });
    expect(said.trim()).toBe(`${who} ${words}`.trim());
  });
});
