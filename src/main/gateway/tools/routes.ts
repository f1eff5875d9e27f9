import type { Dispatch } from '../../dispatch/index.ts';
import type { Route } from '../http/route.ts';
import type { OwnHandles, ToolDoor } from '../ports.ts';
import { admissionRoute } from './admission.ts';
import { infoRoute } from './info.ts';
import { invocationRoute } from './invocation.ts';

/** The routes of the registry (contract, section 3): `/apis/…` with the control token, `/api/…` with a client's. */
export const toolRoutes = ({ registry, target, info }: ToolDoor, needs: { readonly dispatch: Pick<Dispatch, 'submit'>; readonly handles: Pick<OwnHandles, 'markFetched'> }): readonly Route[] => [
  admissionRoute(registry), invocationRoute({ ...needs, target }), infoRoute(info),
];
