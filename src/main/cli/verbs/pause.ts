import { controlPaths } from '../../../shared/contract/control.ts';
import type { Verb } from '../verb.ts';
import { noWords } from '../words.ts';

export const pauseVerb: Verb = {
  name: 'pause',
  usage: [''],
  summary: 'stop every call to every target; deadlines of what waits stand still',
  options: {},
  async run(given, { gateway }) {
    noWords(given, pauseVerb);
    return { json: (await gateway().ask('POST', controlPaths.pause)).body, text: 'Paused. Nothing is sent to any target until `countersign resume`.' };
  },
};

export const resumeVerb: Verb = {
  name: 'resume',
  usage: [''],
  summary: 'let calls through again',
  options: {},
  async run(given, { gateway }) {
    noWords(given, resumeVerb);
    return { json: (await gateway().ask('POST', controlPaths.resume)).body, text: 'Resumed.' };
  },
};
