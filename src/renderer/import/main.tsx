/** The page on which servers are taken over from other programs: an origin and a preload of its own, React and no other package. It names no file; it knows only numbers for them. */
import type { Wire } from '../../shared/contract/define.ts';
import type { importContract } from '../../shared/contract/import.ts';
import { mount } from '../ui/mount.tsx';
import { createClient } from '../ui/wire.ts';
import { ImportPage } from './import-page.tsx';

const wire = (globalThis as unknown as { readonly countersign: Wire<typeof importContract> }).countersign;
const client = createClient<typeof importContract>(wire, ['look', 'choose', 'preview', 'add'], []);

mount(<ImportPage client={client} />);
