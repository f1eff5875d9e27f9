/** What a null of an HTTP request stands for: a credential that is put in when the request is sent and never in its text; or that no body is sent. */
export const standIns = ['credential', 'no-body'] as const;
export type StandIn = (typeof standIns)[number];

/** What a human reads in place of the type and the value of such a null. */
export const STAND_INS: Readonly<Record<StandIn, { readonly type: string; readonly value: string }>> = {
  credential: { type: 'secret', value: 'credential, put in when it is sent; the hash covers its name, not its value' },
  'no-body': { type: 'none', value: 'no body is sent' },
};
