/** The page in which an authenticator is set up: an origin and a preload of its own, React and no other package. It keeps nothing; what it shows once is gone with it. */
import type { authenticatorContract } from '../../shared/contract/authenticator.ts';
import type { Wire } from '../../shared/contract/define.ts';
import { mount } from '../ui/mount.tsx';
import { createClient } from '../ui/wire.ts';
import { AuthenticatorPage } from './authenticator-page.tsx';

const wire = (globalThis as unknown as { readonly countersign: Wire<typeof authenticatorContract> }).countersign;
const client = createClient<typeof authenticatorContract>(wire, ['look', 'unlock', 'begin', 'confirm', 'reset'], []);

mount(<AuthenticatorPage client={client} />);
