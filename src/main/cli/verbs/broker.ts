import { clearSettings, setSettings, showSettings } from '../broker-settings.ts';
import type { Said, Session, Verb } from '../verb.ts';
import { wrongUse } from '../words.ts';

/** The Safe Mutation Broker: alone, for any MCP client (document 000), or its settings in the running Countersign. */
export const brokerVerb: Verb = {
  name: 'broker',
  usage: ['', 'settings', 'settings set [NAME=VALUE…]', 'settings clear'],
  summary: 'serve the Equinix Fabric tools alone over stdin and stdout; or keep the settings of the target fabric in the running Countersign',
  details: [
    'Alone it needs no running Countersign, and its human answers in the client\'s own dialog. `settings set` reads NAME=VALUE lines from stdin, or asks for the two keys.',
    'EQUINIX_ACCESS_KEY, EQUINIX_SECRET_KEY  the credentials; never on a command line',
    'EQUINIX_MCP_TOOLSETS                    which tools: fabric (reading), mutate (propose and confirm)',
    'EQUINIX_MCP_ELICIT_TIMEOUT_MS           how long a human may take to answer',
    'EQUINIX_SANDBOX, EQUINIX_API_ENDPOINT   another host than the production one',
    'EQUINIX_ENV_FILE                        a file with these variables (environment only); what the environment says wins',
  ],
  options: {},
  run(given, session) {
    const [what, how, ...words] = given.words;
    if (what === undefined) return alone(session);
    if (what !== 'settings') throw wrongUse(brokerVerb);
    if (how === 'set') return setSettings(words, session);
    if (words.length > 0) throw wrongUse(brokerVerb);
    if (how === undefined) return showSettings(session);
    if (how === 'clear') return clearSettings(session);
    throw wrongUse(brokerVerb);
  },
};

async function alone({ env }: Session): Promise<Said> {
  // Loaded only here: no other verb pays for the SDK.
  const { runBrokerOverStdio } = await import('../../compose/broker.ts');
  const code = await runBrokerOverStdio({ env, stdin: process.stdin, stdout: process.stdout });
  process.stdin.destroy();
  return { json: {}, text: '', exitCode: code };
}
