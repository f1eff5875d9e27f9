import type { Broker } from '../broker/index.ts';
import type { FabricReadPort } from '../broker/ports.ts';
import { createMutateTools } from './mutate-tools.ts';
import { createReadTools } from './read-tools.ts';
import type { Toolset } from './settings.ts';
import type { Tool } from './tool.ts';

/** The tools of the chosen toolsets. What is not chosen is not there: it can neither be listed nor called. */
export const createTools = ({ toolsets, broker, fabric }: { readonly toolsets: ReadonlySet<Toolset>; readonly broker: Broker; readonly fabric: FabricReadPort }): readonly Tool[] => [
  ...(toolsets.has('fabric') ? createReadTools(fabric) : []),
  ...(toolsets.has('mutate') ? createMutateTools(broker) : []),
];
