/** The page on which servers are taken over from other programs: an origin and a preload of its own, React and no other package. It names no file; it knows only numbers for them. */
import { createRoot } from 'react-dom/client';
import type { Wire } from '../../shared/contract/define.ts';
import type { importContract } from '../../shared/contract/import.ts';
import { createClient } from '../ui/wire.ts';
import { ImportPage } from './import-page.tsx';

const wire = (globalThis as unknown as { readonly countersign: Wire<typeof importContract> }).countersign;
const client = createClient<typeof importContract>(wire, ['look', 'choose', 'preview', 'add'], []);

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');
createRoot(root).render(<ImportPage client={client} />);
