import { isTargetId, MAX_TARGET_LENGTH, targetIdFault } from '../../shared/vocabulary/ids.ts';
import type { TargetId } from '../../shared/vocabulary/ids.ts';

/**
 * Makes a target id of a name as it stands in somebody's file: lower-case letters and digits, everything else a hyphen, accents taken off, at most
 * 32 characters, reserved words prefixed. A good id stays as it is. The caller shows what became of the name. When the id is `taken`, a number is added.
 */
export function idFromName(name: string, taken: (id: TargetId) => boolean = () => false): TargetId {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const hyphened = cut(plain.replace(/[^a-z0-9]+/g, '-').replace(/^-+/, ''), MAX_TARGET_LENGTH) || 'target';
  const base = targetIdFault(hyphened) === 'reserved' ? cut(`target-${hyphened}`, MAX_TARGET_LENGTH) : hyphened;
  for (let count = 1; ; count += 1) {
    const suffix = count === 1 ? '' : `-${count}`;
    const id = `${cut(base, MAX_TARGET_LENGTH - suffix.length)}${suffix}`;
    if (!isTargetId(id)) throw new Error(`not a target id: ${id}`);
    if (!taken(id)) return id;
  }
}

const cut = (text: string, length: number): string => text.slice(0, length).replace(/-+$/, '');
