import { isJsonObject } from '../../../shared/vocabulary/json.ts';
import type { JsonObject, JsonValue } from '../../../shared/vocabulary/json.ts';
import type { Answer } from '../../../shared/vocabulary/request.ts';
import type { Relay } from '../../dispatch/ports.ts';
import type { Log } from '../../platform/log.ts';
import { isRpcError } from '../rpc/messages.ts';
import type { PeerRequest } from '../rpc/peer.ts';

type Ask = (request: PeerRequest) => Promise<Answer>;
type AskBeyond = NonNullable<Relay['askBeyond']>;
type Put = NonNullable<ReturnType<AskBeyond>>;

/**
 * What the tasks of a target ask while they run (MCP, extension io.modelcontextprotocol/tasks). A question that is for the human at the window is
 * put there once, by whichever request finds it, and its answer is brought to the target by us: the client is told that the task works, and can
 * answer nothing but what it was asked itself. Where there is no window everything goes on as it is.
 */
export interface TaskQuestions {
  /** `tasks/get`: the task without what the human is asked. A question that cannot be put is the error this is answered with. */
  get(request: PeerRequest, ask: Ask): Promise<Answer>;
  /** `tasks/update`: refused unsent with `request-state-invalid` unless all it answers was asked of the client. */
  update(request: PeerRequest, ask: Ask): Promise<Answer>;
  /** `tasks/cancel`: takes the questions of the task back from the human. */
  cancel(request: PeerRequest, ask: Ask): Promise<Answer>;
}

/** The questions of one task, by the keys the target gave them, which it uses once. */
interface Asked {
  readonly end: AbortController;
  /** In front of the human. */
  readonly open: Set<string>;
  /** Answered by the human, and on their way to the target or there. */
  readonly answered: Set<string>;
  /** Of those on the way, the answers that wait for the rest. */
  answers: Map<string, JsonValue>;
  /** Asked of the client when it last looked. */
  clients: ReadonlySet<string>;
}

/** How many tasks with questions are remembered; one that is forgotten may be asked about anew. */
const REMEMBERED = 4_096;
/** How long what was answered is known after the task went on: longer than a look at the task takes that began before. */
const CROSSING_MS = 90_000;
/** The target knows no such task. */
const UNKNOWN_TASK = -32602;

const STATUS = 'The target asks a question in the middle of this task, and a human must answer it in Countersign.';

/** `now`: milliseconds of a clock that never goes back. */
export function createTaskQuestions(log: Log, now = (): number => performance.now()): TaskQuestions {
  const tasks = new Map<string, Asked>();
  /** What was answered to tasks that went on. */
  const before = new Map<string, { readonly answered: Set<string>; readonly until: number }>();

  const letGo = (taskId: string): void => {
    const asked = tasks.get(taskId);
    if (asked === undefined) return;
    tasks.delete(taskId);
    asked.end.abort(new Error('the task no longer asks'));
    // Given, but never brought.
    for (const key of asked.answers.keys()) asked.answered.delete(key);
    if (asked.answered.size === 0) return;
    before.delete(taskId);
    before.set(taskId, { answered: asked.answered, until: now() + CROSSING_MS });
    const [oldest] = before.keys();
    if (before.size > REMEMBERED && oldest !== undefined) before.delete(oldest);
  };

  const forget = (taskId: string): void => {
    letGo(taskId);
    before.delete(taskId);
  };

  const answeredTo = (taskId: string): Set<string> => {
    const live = tasks.get(taskId);
    if (live !== undefined) return live.answered;
    const earlier = before.get(taskId);
    return earlier !== undefined && now() < earlier.until ? earlier.answered : new Set();
  };

  const remembered = (taskId: string): Asked => {
    const known = tasks.get(taskId);
    if (known !== undefined) return known;
    const [oldest] = tasks.keys();
    if (tasks.size >= REMEMBERED && oldest !== undefined) letGo(oldest);
    const made: Asked = { end: new AbortController(), open: new Set(), answered: answeredTo(taskId), answers: new Map(), clients: new Set() };
    tasks.set(taskId, made);
    return made;
  };

  /** Brings the target what was answered, once nothing is left to answer: a target need not take a part. */
  const bring = async (taskId: string, asked: Asked, { deadlineMs }: PeerRequest, ask: Ask): Promise<void> => {
    if (asked.open.size > 0 || asked.end.signal.aborted) return;
    const brought = asked.answers;
    asked.answers = new Map();
    // Not as canonical text: the keys are the target's word.
    const answer = await ask({ method: 'tasks/update', paramsText: JSON.stringify({ inputResponses: Object.fromEntries(brought), taskId }), deadlineMs });
    if (answer.kind === 'result') return;
    log.warn('target.task-answer-lost', { kind: answer.kind });
    for (const key of brought.keys()) asked.answered.delete(key);
  };

  /** How one question is put to the human; undefined when it is the client's. */
  const judged = (taskId: string, key: string, { method, params }: JsonObject, askBeyond: AskBeyond): Put | 'put' | undefined => {
    if (answeredTo(taskId).has(key) || tasks.get(taskId)?.open.has(key) === true) return 'put';
    return typeof method === 'string' ? askBeyond(method, isJsonObject(params) ? params : undefined) : undefined;
  };

  const put = (taskId: string, key: string, putIt: Put, request: PeerRequest, ask: Ask): void => {
    const asked = remembered(taskId);
    const answer = putIt(asked.end.signal);
    asked.open.add(key);
    answer
      .then((given) => {
        asked.open.delete(key);
        if (asked.end.signal.aborted) return;
        asked.answered.add(key);
        asked.answers.set(key, given as JsonObject);
        return bring(taskId, asked, request, ask);
      })
      .catch((fault: unknown) => {
        asked.open.delete(key);
        log.error('target.question-failed', {}, fault);
      });
  };

  return {
    async get(request, ask) {
      const answer = await ask(request);
      const askBeyond = request.relay?.askBeyond;
      const taskId = taskIdOf(request);
      if (askBeyond === undefined || taskId === undefined || answer.kind === 'lost' || answer.kind === 'fault') return answer;
      if (answer.kind === 'error') {
        // Any other error says nothing of the task: what it asks is still asked.
        if (answer.error.code === UNKNOWN_TASK) forget(taskId);
        return answer;
      }
      const { inputRequests, ...task } = answer.result as JsonObject;
      if (task['status'] !== 'input_required') {
        letGo(taskId);
        return answer;
      }
      if (!isJsonObject(inputRequests)) return answer;
      try {
        // Where one of them can be shown to nobody, the human is asked none: the target could not go on with the rest.
        const all = Object.entries(inputRequests).flatMap(([key, question]) => (isJsonObject(question) ? [{ key, question, how: judged(taskId, key, question, askBeyond) }] : []));
        for (const { key, how } of all) if (typeof how === 'function') put(taskId, key, how, request, ask);
        const theirs = all.filter(({ how }) => how === undefined).map(({ key, question }) => [key, question] as const);
        const asked = theirs.length > 0 ? remembered(taskId) : tasks.get(taskId);
        if (asked !== undefined) asked.clients = new Set(theirs.map(([key]) => key));
        if (theirs.length > 0) return { kind: 'result', result: { ...task, inputRequests: Object.fromEntries(theirs) } };
        return { kind: 'result', result: { ...task, status: 'working', ...(asked !== undefined && asked.open.size > 0 && { statusMessage: STATUS }) } };
      } catch (fault) {
        if (!isRpcError(fault)) throw fault;
        return { kind: 'error', error: { code: fault.code, message: fault.message, ...(fault.data !== undefined && { data: fault.data }) } };
      }
    },
    update(request, ask) {
      if (request.relay?.askBeyond === undefined) return ask(request);
      const { inputResponses } = JSON.parse(request.paramsText) as JsonObject;
      const clients = tasks.get(taskIdOf(request) ?? '')?.clients;
      const isTheirs = isJsonObject(inputResponses) && Object.keys(inputResponses).every((key) => clients?.has(key) === true);
      return isTheirs ? ask(request) : Promise.resolve({ kind: 'fault', code: 'request-state-invalid', sent: false, note: 'it answers what was not asked of the client' });
    },
    async cancel(request, ask) {
      const answer = await ask(request);
      const taskId = taskIdOf(request);
      if (answer.kind === 'result' && taskId !== undefined) letGo(taskId);
      return answer;
    },
  };
}

function taskIdOf({ paramsText }: PeerRequest): string | undefined {
  const { taskId } = JSON.parse(paramsText) as JsonObject;
  return typeof taskId === 'string' ? taskId : undefined;
}
