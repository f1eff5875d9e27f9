/** A pending item as its notification may tell of it: names only, never a value. */
export interface Arrival {
  readonly handle: string;
  readonly client: string;
  /** The tool's name as it came; shown only when it has the form of one. */
  readonly subject: string | null;
  readonly target: string;
  /** What the client asks for, in our words; `run` when not given. */
  readonly verb?: string;
  /** The target asks in the middle of the client's call. */
  readonly asks?: boolean;
}

/** The form of a tool's name that is shown outside the table (MCP, SEP-986); any other name could be a sentence. */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** The one line of a notification. Made of our words and of names that have passed the name rules. */
export function noticeText({ client, subject, target, verb = 'run', asks = false }: Arrival): string {
  const tool = subject !== null && TOOL_NAME.test(subject) ? subject : 'a tool';
  if (asks) return `${target} asks you something, while it runs ${tool} for ${client}.`;
  return `${client} wants to ${verb} ${tool} on ${target}.`;
}
