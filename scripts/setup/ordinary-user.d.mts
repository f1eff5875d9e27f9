export function isRoot(): boolean;
export function asOrdinaryUser(command: string[], options?: { dieWithParent?: boolean }): [string, ...string[]];
export function giveToOrdinaryUser(file: string): void;
export function ordinaryTempFolder(prefix: string): string;
export function canOrdinaryUserRead(target: string): boolean;
export function claimForOrdinaryUser(folder: string): void;
