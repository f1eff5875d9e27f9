import type { ApprovalClient, approvalContract } from '../../shared/contract/approval.ts';
import type { Wire } from '../../shared/contract/define.ts';
import { createClient } from '../ui/wire.ts';

export type ApprovalWire = Wire<typeof approvalContract>;

/** This page's way to main: its contract, over the bridge its preload put there. */
export const createApprovalClient = (wire: ApprovalWire): ApprovalClient =>
  createClient<typeof approvalContract>(wire, ['look', 'value', 'approve', 'decline', 'cancel', 'outcome', 'setUp', 'importServers'], ['changed', 'opened', 'presence']);
