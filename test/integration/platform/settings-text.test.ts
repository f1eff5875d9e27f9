import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { settingsText } from '../../../src/main/platform/settings-text.ts';
import { aFolder } from '../../support/stores.ts';

it('a settings file is told apart from one that is absent and one that is there and cannot be read', () => {
  const folder = aFolder();
  const at = (name: string): string => path.join(folder, name);
  writeFileSync(at('settings.json'), '{}');
  mkdirSync(at('folder.json'));
  writeFileSync(at('huge.json'), '');
  truncateSync(at('huge.json'), 5 * 1024 * 1024);
  expect(settingsText(at('settings.json'))).toEqual({ text: '{}' });
  expect(settingsText(at('none.json'))).toEqual({ fault: 'absent' });
  expect(settingsText(at('settings.json/below'))).toEqual({ fault: 'absent' });
  for (const name of ['folder.json', 'huge.json']) expect(settingsText(at(name))).toEqual({ fault: 'unreadable' });
});
