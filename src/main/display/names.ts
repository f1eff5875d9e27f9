const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** Whether a tool's or target's name may stand in a sentence of ours: plain ASCII of the characters MCP names are made of. Others are shown as data. */
export const nameOk = (name: string): boolean => NAME.test(name);
