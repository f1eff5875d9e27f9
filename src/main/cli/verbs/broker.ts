import type { Verb } from '../verb.ts';
import { noWords } from '../words.ts';

/** The Safe Mutation Broker alone, for any MCP client (document 000). It needs no running Countersign: its human answers in the client's own dialog. */
export const brokerVerb: Verb = {
  name: 'broker',
  usage: [''],
  summary: 'serve the Equinix Fabric tools alone over stdin and stdout; what changes anything only when EQUINIX_MCP_TOOLSETS names `mutate`',
  details: [
    'EQUINIX_ACCESS_KEY, EQUINIX_SECRET_KEY  the credentials',
    'EQUINIX_MCP_TOOLSETS                    which tools: fabric (reading), mutate (propose and confirm)',
    'EQUINIX_MCP_ELICIT_TIMEOUT_MS           how long the client may take to ask its user',
    'EQUINIX_SANDBOX, EQUINIX_API_ENDPOINT   another host than the production one',
  ],
  options: {},
  async run(given, { env }) {
    noWords(given, brokerVerb);
    // Loaded only here: no other verb pays for the SDK.
    const { runBrokerOverStdio } = await import('../../compose/broker.ts');
    const code = await runBrokerOverStdio({ env, stdin: process.stdin, stdout: process.stdout });
    process.stdin.destroy();
    return { json: {}, text: '', exitCode: code };
  },
};
