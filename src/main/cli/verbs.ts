import type { Verb } from './verb.ts';
import { auditVerb } from './verbs/audit.ts';
import { brokerVerb } from './verbs/broker.ts';
import { grantsVerb } from './verbs/grants.ts';
import { bridgesVerb } from './verbs/bridges.ts';
import { clientsVerb } from './verbs/clients.ts';
import { approveVerb, declineVerb, handlesVerb, showVerb } from './verbs/handles.ts';
import { doctorVerb } from './verbs/doctor.ts';
import { createE2eVerb } from './verbs/e2e.ts';
import { mountVerb } from './verbs/mount.ts';
import { pauseVerb, resumeVerb } from './verbs/pause.ts';
import { setupVerb } from './verbs/setup.ts';
import { stdioVerb } from './verbs/stdio.ts';
import { toolsVerb } from './verbs/tools.ts';
import { totpVerb } from './verbs/totp.ts';
import { connectVerb, disconnectVerb, targetsVerb } from './verbs/targets.ts';

/** Every verb there is, in the order in which help lists them. To add one: write it in `verbs/` and name it here. */
export const verbs: readonly Verb[] = [
  connectVerb, disconnectVerb, targetsVerb, mountVerb,
  handlesVerb, showVerb, declineVerb, approveVerb,
  setupVerb, stdioVerb,
  pauseVerb, resumeVerb,
  totpVerb, clientsVerb, bridgesVerb, toolsVerb, grantsVerb, auditVerb, brokerVerb, createE2eVerb(), doctorVerb,
];
