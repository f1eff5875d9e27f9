import { createHash } from 'node:crypto';
import { FRAMED_TEXT } from './sample-workers.ts';
import { CheckFailed, expect, within, type Check } from './suite.ts';
import { RISKY, SHORT_S, type Answered, type Stand } from './stand.ts';

/** How long anything here may take that should take no time. */
const SOON_MS = 15_000;

const textOf = ({ body }: Answered): string | undefined => body.result?.content?.[0]?.text;
const codeOf = ({ body }: Answered): string => (typeof body.error?.data?.['code'] === 'string' ? body.error.data['code'] : '');
const callsOf = ({ remote }: Stand, text: unknown): number => remote.calls.filter(({ arguments: args }) => args['text'] === text).length;

function expectStatus(answer: Answered, status: number, what: string): void {
  expect(answer.status === status, `${what} was answered with ${answer.status}${answer.body.error === undefined ? '' : ` (${codeOf(answer) || answer.body.error.message})`} instead of ${status}`);
}

/** A parked call's references, from its 202. */
function parked(answer: Answered, what: string): { readonly handle: string; readonly prompt: string; readonly hash: string } {
  expectStatus(answer, 202, what);
  const { handle, payload_hash: hash } = answer.body.params ?? {};
  expect(typeof handle === 'string' && typeof hash === 'string', `the frame of ${what} names no handle and hash`);
  return { handle, hash, prompt: String(answer.body.id) };
}

/** What the gateway must have hashed: the text RFC 8785 gives for this call. Names and values here need no escapes. */
const hashOf = (target: string, tool: string, text: string): string =>
  createHash('sha256').update(`{"method":"tools/call","params":{"arguments":{"text":"${text}"},"name":"${tool}"},"target":"${target}"}`).digest('hex');

/** Asks again until it is so, for as long as anything may take. */
async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + SOON_MS;
  while (!(await holds())) {
    if (performance.now() > until) throw new CheckFailed(what);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const multiplexing: Check<Stand> = {
  name: 'http-multiplexing',
  proves: 'two calls at once share one upstream session and run side by side; a session the worker forgot is opened anew',
  async run(stand) {
    const { remote } = stand;
    const both = await within(SOON_MS, 'a pair of calls that wait for each other', Promise.all([stand.call('remote', 'meet', {}), stand.call('remote', 'meet', {})]));
    for (const answer of both) expectStatus(answer, 200, 'a call of a pair');
    const used = new Set(remote.calls.filter(({ name }) => name === 'meet').map(({ session }) => session));
    expect(used.size === 1 && !used.has(undefined), `the pair went over ${used.size === 1 ? 'no session' : `${used.size} sessions`}`);
    const before = remote.opened();
    remote.forget();
    const after = await stand.call('remote', 'echo', { text: 'again' });
    expectStatus(after, 200, 'a call after the worker forgot the session');
    expect(remote.opened() === before + 1, `${remote.opened() - before} sessions were opened anew instead of one`);
  },
};

const framing: Check<Stand> = {
  name: 'sse-framing',
  proves: 'an answer framed as an event stream arrives whole: comments, several data lines, CRLF, characters cut in two; and over the older HTTP+SSE',
  async run(stand) {
    const answer = await within(SOON_MS, 'a framed answer', stand.call('remote', 'framed', {}));
    expectStatus(answer, 200, 'a call answered by an event stream');
    expect(textOf(answer) === FRAMED_TEXT, `the text arrived as ${JSON.stringify(textOf(answer))}`);
    const older = await within(SOON_MS, 'an answer over HTTP+SSE', stand.call('older', 'echo', { text: 'older' }));
    expectStatus(older, 200, 'a call over the older transport');
    expect(textOf(older) === 'older', `over the older transport the text arrived as ${JSON.stringify(textOf(older))}`);
  },
};

const unauthorized: Check<Stand> = {
  name: 'upstream-401',
  proves: 'a 401 of the worker becomes a 502, and is not repeated',
  async run(stand) {
    const answer = await stand.call('remote', 'locked', {});
    expectStatus(answer, 502, 'a call the worker answered with 401');
    expect(codeOf(answer) === 'upstream-unauthorized', `the error says ${codeOf(answer)}`);
    const calls = stand.remote.calls.filter(({ name }) => name === 'locked').length;
    expect(calls === 1, `the worker was asked ${calls} times`);
  },
};

const fault: Check<Stand> = {
  name: 'upstream-fault',
  proves: 'a JSON-RPC error of the worker becomes a 502 with that error inside',
  async run(stand) {
    const answer = await stand.call('remote', 'fault', {});
    expectStatus(answer, 502, 'a call the worker answered with an error');
    expect(answer.body.error?.code === -32042, `the error has the number ${String(answer.body.error?.code)}`);
    const upstream = answer.body.error.data?.['upstream'] as { readonly message?: unknown } | undefined;
    expect(upstream?.message === 'refused by the sample worker', "the worker's own error is not inside");
  },
};

const parking: Check<Stand> = {
  name: 'parking',
  proves: 'a risky call is stopped before any byte reaches the worker; the frame carries handle and hash; 20 duplicates get the same handle',
  async run(stand) {
    const text = `${RISKY} parking`;
    const send = (): Promise<Answered> => stand.call('remote', 'echo', { text }, { key: 'parking' });
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    const handles = new Set(answers.map((answer) => parked(answer, 'a risky call').handle));
    expect(handles.size === 1, `${handles.size} handles were made for one key`);
    const [first] = answers;
    expect(first !== undefined && parked(first, 'a risky call').hash === hashOf('remote', 'echo', text), 'the payload hash is not that of the request');
    expect(first.headers.get('location') === `/v1/mcp-gateway/handles/${[...handles][0] ?? ''}`, 'the Location header does not name the handle');
    expectStatus(await stand.call('remote', 'echo', { text: `${RISKY} other` }, { key: 'parking' }), 422, 'another payload under the same key');
    const seen = stand.remote.calls.filter(({ arguments: args }) => String(args['text']).includes(RISKY)).length;
    expect(seen === 0, `the worker saw ${seen} of the stopped calls`);
  },
};

const resume: Check<Stand> = {
  name: 'in-band-totp-resume',
  proves: 'the original payload with the code runs the stored call once; another payload, prompt or code does not, and a code counts once',
  async run(stand) {
    const codes = await stand.authenticator();
    const text = `${RISKY} resume`;
    const send = (said: string, prompt: string, value: string): Promise<Answered> => stand.call('remote', 'echo', { text: said }, { key: 'resume', answer: { prompt, value } });
    const { prompt, handle } = parked(await stand.call('remote', 'echo', { text }, { key: 'resume' }), 'the risky call');
    const code = await codes.next();
    expectStatus(await send(`${text} changed`, prompt, code), 422, 'a changed payload with a good code');
    expectStatus(await send(text, 'prompt_txn_1792523154_ad45a9be4329', code), 409, "another prompt's id with a good code");
    expectStatus(await send(text, prompt, codes.wrong()), 401, 'a wrong code');
    expect(callsOf(stand, text) === 0, 'the call ran without a good code');
    const done = await send(text, prompt, code);
    expectStatus(done, 200, 'the good code');
    expect(textOf(done) === text, 'the answer is not that of the stored call');
    const replay = await send(text, prompt, code);
    expectStatus(replay, 200, 'the same again');
    expect(replay.headers.get('x-idempotent-replay') === 'true', 'the repetition is not marked as one');
    expectStatus(await stand.handle(handle), 200, 'the handle');
    const other = parked(await stand.call('remote', 'echo', { text: `${text} 2` }, { key: 'resume-2' }), 'a second risky call');
    expectStatus(await stand.call('remote', 'echo', { text: `${text} 2` }, { key: 'resume-2', answer: { prompt: other.prompt, value: code } }), 401, 'a code that was used');
    expect(callsOf(stand, text) === 1 && callsOf(stand, `${text} 2`) === 0, `the worker saw the call ${callsOf(stand, text)} times`);
  },
};

const sentinel: Check<Stand> = {
  name: 'sentinel-rollback',
  proves: 'a call nobody decided on is rolled back when its time is over: FAULTED, never sent, and no code brings it back',
  async run(stand) {
    const codes = await stand.authenticator();
    const text = `${RISKY} sentinel`;
    const { handle, prompt } = parked(await stand.call('brief', 'echo', { text }, { key: 'sentinel' }), 'the risky call');
    await eventually(`the call still waits long after its ${SHORT_S} s`, async () => (await stand.handle(handle)).status !== 202);
    const over = await stand.handle(handle);
    expectStatus(over, 410, 'the handle after its time');
    expect(codeOf(over) === 'expired' && over.body.error?.data?.['state'] === 'FAULTED', 'it does not say that it expired and is FAULTED');
    expectStatus(await stand.call('brief', 'echo', { text }, { key: 'sentinel', answer: { prompt, value: codes.wrong() } }), 410, 'a code after its time');
    expect(callsOf(stand, text) === 0, 'the worker saw the call');
  },
};

const zeroSpawn: Check<Stand> = {
  name: 'zero-spawn',
  proves: 'a stopped call of an ephemeral target starts no process; once approved it gets one, without FIBER_ variables, which ends with it',
  async run(stand) {
    const codes = await stand.authenticator();
    // The tool list comes from a listing spawn; it is over before we count.
    await eventually('the sandbox of a safe call did not end', async () => {
      expectStatus(await stand.call('once', 'echo', { text: 'safe' }, { key: 'zero-safe' }), 200, 'a safe call');
      return (await stand.sandboxes('once')) === 0;
    });
    const starts = (): number => stand.noted('once').filter(({ what }) => what === 'start').length;
    const before = starts();
    const { prompt } = parked(await stand.call('once', 'keys', { text: RISKY }, { key: 'zero' }), 'the risky call');
    expect((await stand.sandboxes('once')) === 0 && starts() === before, 'a process was started for a stopped call');
    const done = await stand.call('once', 'keys', { text: RISKY }, { key: 'zero', answer: { prompt, value: await codes.next() } });
    expectStatus(done, 200, 'the good code');
    const keys = JSON.parse(textOf(done) ?? '[]') as readonly string[];
    expect(keys.includes('E2E_KEPT') && !keys.some((key) => key.startsWith('FIBER_')), 'the environment of the process is not the entry without its FIBER_ variables');
    expect(starts() === before + 1, `${starts() - before} processes were started for the approved call`);
    await eventually('the sandbox outlived its call', async () => (await stand.sandboxes('once')) === 0);
  },
};

const queue: Check<Stand> = {
  name: 'linear-queue',
  proves: 'calls to a linear daemon run one after another, in one process',
  async run(stand) {
    const answers = await Promise.all([1, 2, 3].map((number) => stand.call('daemon', 'busy', { text: String(number) })));
    for (const answer of answers) expectStatus(answer, 200, 'a queued call');
    const noted = stand.noted('daemon').filter(({ what }) => what !== 'start');
    expect(noted.length === 6 && noted.every(({ what }, index) => what === (index % 2 === 0 ? 'begin' : 'end')), `they ran as ${noted.map(({ what }) => what).join(' ')}`);
    expect(new Set(stand.noted('daemon').map(({ pid }) => pid)).size === 1, 'more than one process ran');
  },
};

/** What document 003, section 4 asks to be validated, each on its own. */
export const workerProtocol: readonly Check<Stand>[] = [multiplexing, framing, unauthorized, fault, parking, resume, sentinel, zeroSpawn, queue];
