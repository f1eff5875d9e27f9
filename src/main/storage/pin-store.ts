import { StoreUnavailable, type AuditEvent } from '../audit/index.ts';
import type { Pins, PinStore } from '../pinning/ports.ts';
import type { Connection } from './connection.ts';
import { bytes, textOf } from './handle-row.ts';

export interface PinStoreDeps {
  /** The connection at full durability. */
  readonly connection: Connection;
  readonly record: (event: AuditEvent) => void;
}

/** The table of `pinSchema`. A row that cannot be read was damaged or altered: it is a failed read and never taken for a target that was not seen yet. */
export function createPinStore({ connection, record }: PinStoreDeps): PinStore {
  const get = connection.prepare<{ readonly pins: Uint8Array }>('SELECT pins FROM tool_pins WHERE target = ?');
  const put = connection.prepare('INSERT INTO tool_pins (target, pins) VALUES (?, ?) ON CONFLICT (target) DO UPDATE SET pins = excluded.pins');
  const remove = connection.prepare('DELETE FROM tool_pins WHERE target = ?');

  return {
    get(target) {
      const row = get.get(target);
      return row && read(textOf(row.pins), target);
    },
    keep: (target, pins, event) =>
      connection.transaction(() => {
        put.run(target, bytes(JSON.stringify(pins)));
        record(event);
      }),
    remove: (target) => void remove.run(target),
  };
}

function read(text: string, target: string): Pins {
  try {
    const pins = JSON.parse(text) as Partial<Pins> | null;
    if (typeof pins?.of === 'string' && [pins.views, pins.tools, pins.withheld].every(Array.isArray)) return pins as Pins;
  } catch (error) {
    throw new StoreUnavailable(`the pinned tools of ${target} cannot be read`, { cause: error });
  }
  throw new StoreUnavailable(`the pinned tools of ${target} are not in their form`);
}
