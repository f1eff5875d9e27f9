import type { Answer } from '../../../shared/vocabulary/request.ts';
import type { TargetFace } from '../../dispatch/ports.ts';

/** The lists a target may have: the member its items stand in, and the capability that promises it. */
const LISTS = {
  'tools/list': { member: 'tools', capability: 'tools' },
  'prompts/list': { member: 'prompts', capability: 'prompts' },
  'resources/list': { member: 'resources', capability: 'resources' },
  'resources/templates/list': { member: 'resourceTemplates', capability: 'resources' },
} as const;

export type ListMethod = keyof typeof LISTS;
export type ListKind = 'tools' | 'prompts' | 'resources';

export const listMethods = Object.keys(LISTS) as readonly ListMethod[];
export const isListMethod = (method: string): method is ListMethod => Object.hasOwn(LISTS, method);
export const listKind = (method: ListMethod): ListKind => LISTS[method].capability;

/** The kind of list a notification says has changed. */
export function changedList(method: string): ListKind | undefined {
  return (['tools', 'prompts', 'resources'] as const).find((kind) => method === `notifications/${kind}/list_changed`);
}

/** Whether the target says that it has such a list, and that it tells when it changes. */
export const offers = (face: TargetFace, method: ListMethod): boolean => face.capabilities[listKind(method)] !== undefined;
export function tellsChanges(face: TargetFace, method: ListMethod): boolean {
  const capability = face.capabilities[listKind(method)];
  return typeof capability === 'object' && capability !== null && 'listChanged' in capability && capability.listChanged === true;
}

export const emptyList = (method: ListMethod): Answer => ({ kind: 'result', result: { [LISTS[method].member]: [] } });
export const countOf = (method: ListMethod, result: Record<string, unknown>): number => {
  const items = result[LISTS[method].member];
  return Array.isArray(items) ? items.length : 0;
};

const MOST_PAGES = 500;
const MOST_ITEMS = 20_000;

/**
 * All pages of a list as one result, without a cursor. `ask` sends one request whose `params` are the text. A list that never ends, or comes back
 * to a page, is a fault.
 */
export async function wholeList(method: ListMethod, ask: (paramsText: string) => Promise<Answer>): Promise<Answer> {
  const { member } = LISTS[method];
  const items: unknown[] = [];
  const cursors = new Set<string>();
  let paramsText = '{}';
  for (;;) {
    const page = await ask(paramsText);
    if (page.kind !== 'result') return page;
    const found = page.result[member];
    if (!Array.isArray(found)) return fault('the page holds no list');
    if (items.length + found.length > MOST_ITEMS) return fault('the list is longer than the limit');
    items.push(...(found as unknown[]));
    const cursor = page.result['nextCursor'];
    if (typeof cursor !== 'string') {
      const whole: Record<string, unknown> = { ...page.result, [member]: items };
      delete whole['nextCursor'];
      return { kind: 'result', result: whole };
    }
    if (cursors.has(cursor) || cursors.size >= MOST_PAGES) return fault('the list does not end');
    cursors.add(cursor);
    paramsText = JSON.stringify({ cursor });
  }
}

const fault = (note: string): Answer => ({ kind: 'fault', code: 'upstream-fault', sent: true, note });
