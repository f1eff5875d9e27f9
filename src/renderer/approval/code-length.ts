/** Digits of a code. */
export const CODE_LENGTH = 6;
