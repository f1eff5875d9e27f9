import type {
  AddBridgeAnswer, AddClientAnswer, AuditQuery, AuditVerdict, AuditView, BridgeView, ChangeView, ClientView, ConnectAnswer, DoctorView, GrantView, HandleView, MountAnswer, TargetView,
  TotpConfirmAnswer, TotpOfferAnswer, TotpView,
} from '../../shared/contract/control.ts';
import type { FabricAnswer, FabricView } from '../../shared/contract/fabric.ts';
import type { Result } from '../../shared/result.ts';

/**
 * What a holder of the control token can do: administer, never approve (contract, section 2). One function for each control route; names and
 * ids come in as the caller wrote them and are judged here. `status: 'waiting'` is told as 202 with the change's address.
 */
export interface Control {
  targets(): readonly TargetView[];
  /** Adds or alters a target. `entry` is one value of `mcpServers`, as parsed. */
  connect(id: string, entry: unknown): Promise<Result<ConnectAnswer>>;
  disconnect(id: string): Promise<Result<{ readonly status: 'applied' }>>;
  /** Every entry of a configuration file's text. A text that does not parse changes nothing. `variables` feed `${NAME}` in it; `preview` only tells; `unguarded` chooses no guard for entries without a rule. */
  mount(text: string, variables: Readonly<Record<string, string>>, options?: { readonly preview?: boolean; readonly unguarded?: boolean }): Promise<Result<MountAnswer>>;
  /** What waits, first in first out; with `all` everything that is kept, newest first. */
  handles(query: { readonly all: boolean }): readonly HandleView[];
  show(handle: string): Result<HandleView>;
  decline(handle: string, reason: string | null): Result<HandleView>;
  /** Approves a call that asks for a code; the code proves the human. One that asks for a click is `window-only`. */
  attest(handle: string, code: string): Result<HandleView>;
  clients(): readonly ClientView[];
  /** `patienceS`: how long the client waits for an answer, when that is known. */
  addClient(name: string, roles: readonly string[], options?: { readonly patienceS?: number | null }): Result<AddClientAnswer>;
  revokeClient(name: string): Result<{ readonly status: 'applied' }>;
  bridges(): readonly BridgeView[];
  /** `key` is the text of an Ed25519 public key: PEM, JWK, base64url or hex. */
  addBridge(bridge: { readonly name: string; readonly key: string; readonly url: string | null }): Result<AddBridgeAnswer>;
  removeBridge(name: string): Result<{ readonly status: 'applied' }>;
  auditList(query: AuditQuery): Result<readonly AuditView[]>;
  /** One JSON object a line, each with its line end, oldest first. */
  auditExport(): Result<Iterable<string>>;
  auditVerify(): Result<AuditVerdict>;
  fabric(): FabricView;
  /** Keeps settings of the broker; null forgets one. */
  setFabric(settings: Readonly<Record<string, string | null>>): Result<FabricAnswer>;
  /** Calls that may be made again without a click, the newest first. */
  grants(): readonly GrantView[];
  revokeGrant(id: string): Result<{ readonly status: 'applied' }>;
  change(id: string): Result<ChangeView>;
  doctor(): DoctorView;
  totp(): TotpView;
  offerTotp(): Result<TotpOfferAnswer>;
  confirmTotp(code: string): Result<TotpConfirmAnswer>;
  resetTotp(): Result<TotpView>;
  unlockTotp(passphrase: string): Promise<Result<TotpView>>;
  pause(): Result<{ readonly paused: boolean }>;
  resume(): Result<{ readonly paused: boolean }>;
}
