import type { TargetId } from '../../../shared/vocabulary/ids.ts';
import type { RegistryControl } from '../../control/index.ts';
import type { Dispatch } from '../../dispatch/index.ts';
import type { Route } from '../http/route.ts';
import type { OwnHandles } from '../ports.ts';
import { admissionRoute } from './admission.ts';
import { infoRoute, type Info } from './info.ts';
import { invocationRoute } from './invocation.ts';

/** What the routes of the registry need. */
export interface ToolDoor {
  readonly registry: RegistryControl;
  /** The target whose tools are the registry's. */
  readonly target: TargetId;
  readonly info: Info;
}

/** The routes of the registry (contract, section 3): `/apis/…` with the control token, `/api/…` with a client's. */
export const toolRoutes = ({ registry, target, info }: ToolDoor, needs: { readonly dispatch: Pick<Dispatch, 'submit'>; readonly handles: Pick<OwnHandles, 'markFetched'> }): readonly Route[] => [
  admissionRoute(registry), invocationRoute({ ...needs, target }), infoRoute(info),
];
