/** The screen of a failed start: an origin and a preload of its own, React and no other package. */
import type { Wire } from '../../shared/contract/define.ts';
import type { troubleContract } from '../../shared/contract/trouble.ts';
import { mount } from '../ui/mount.tsx';
import { createClient } from '../ui/wire.ts';
import { TroublePage } from './trouble-page.tsx';

const wire = (globalThis as unknown as { readonly countersign: Wire<typeof troubleContract> }).countersign;
const client = createClient<typeof troubleContract>(wire, ['look', 'retry', 'quit'], ['changed']);

mount(<TroublePage client={client} />);
