import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../../../src/main/registry/index.ts';
import type { AuthorityEvent } from '../../../src/main/registry/ports.ts';
import { aRegistry, aResource, admitted, REVIEWER } from '../../support/registry.ts';

const NAME = 'list_employees';
const URL_OF = 'http://localhost:8081/api/resource/Employee';
const version = fc.constantFrom('1.0.0', '2.0.0');
const step = fc.oneof(
  fc.record({ do: fc.constant('withdraw' as const), version }),
  fc.record({ do: fc.constant('return' as const), version }),
  fc.record({ do: fc.constant('serve' as const), version }),
  fc.record({ do: fc.constant('dispatch' as const), exact: fc.option(version, { nil: undefined }) }),
);

describe('withdraw, dispatch, admit and serve in any order', () => {
  it('never enter the connector past a withdrawal, and never acknowledge one while a committed call runs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(step, { minLength: 2, maxLength: 10 }), async (scheduler, steps) => {
        const events: AuthorityEvent[] = [];
        const { registry } = aRegistry({ hooks: { beforeCommit: () => scheduler.schedule(Promise.resolve(), 'barrier'), onEvent: (event) => events.push(event) } });
        for (const one of ['1.0.0', '2.0.0']) admitted(registry, { version: one });
        /** Versions in the connector now, and those withdrawn for which the acknowledgement came and that were not brought back. */
        const inside = new Map<string, number>();
        const acknowledged = new Set<string>();
        const faults: string[] = [];

        const dispatch = async (exact: string | undefined): Promise<void> => {
          const found = registry.resolve(exact === undefined ? { name: NAME } : { name: `${NAME}@${exact}`, versioned: true });
          if (!found.ok) return;
          const own = keyOf(found.value).version;
          if (exact !== undefined && own !== exact) faults.push('another revision was chosen');
          await registry.boundary.dispatch(found.value, URL_OF, async () => {
            if (acknowledged.has(own)) faults.push(`${own} was entered past its withdrawal`);
            inside.set(own, (inside.get(own) ?? 0) + 1);
            await scheduler.schedule(Promise.resolve(), 'connector');
            inside.set(own, (inside.get(own) ?? 0) - 1);
          });
        };
        const withdraw = async (one: string): Promise<void> => {
          await registry.withdraw({ name: NAME, version: one }, REVIEWER);
          const active = registry.all({ name: NAME, version: one })[0]?.isActive === true;
          if (!active) acknowledged.add(one);
          if (!active && (inside.get(one) ?? 0) > 0) faults.push(`${one} was acknowledged with a call inside`);
        };
        const bringBack = (one: string): void => {
          acknowledged.delete(one);
          registry.admit(aResource({ version: one, metadata: { isActive: true } }), REVIEWER);
        };

        const running = steps.map((each) =>
          scheduler.schedule(Promise.resolve(), each.do).then(async () => {
            if (each.do === 'withdraw') await withdraw(each.version);
            else if (each.do === 'return') bringBack(each.version);
            else if (each.do === 'serve') registry.serve({ name: NAME, version: each.version }, REVIEWER);
            else await dispatch(each.exact);
          }),
        );
        await scheduler.waitFor(Promise.all(running));

        expect(faults).toEqual([]);
        expect(registry.all().filter(({ isServing }) => isServing).length).toBeLessThanOrEqual(1);
        expect(registry.all().filter(({ isActive, isServing }) => isServing && !isActive)).toEqual([]);
        // Read in the order of their sequence, no dispatch of a revision follows its withdrawal unless it was brought back.
        const returned = steps.some((each) => each.do === 'return');
        const gone = new Set<string>();
        for (const { type, toolVersion } of [...events].sort((a, b) => a.sequence - b.sequence)) {
          if (type === 'withdrawal_committed') gone.add(toolVersion);
          if (type === 'dispatch_committed' && !returned) expect(gone.has(toolVersion)).toBe(false);
        }
        expect(events.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual(events.map((_, index) => index + 1));
      }),
      { numRuns: 100 },
    );
  });
});
