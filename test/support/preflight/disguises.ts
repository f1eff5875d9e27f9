type Disguise = (written: string) => string;

/** Ways to write a text that leave its meaning to whoever decodes it; any may be put around any other. */
export const ENCODINGS: readonly Disguise[] = [
  (written) => JSON.stringify(written),
  (written) => JSON.stringify({ a: 1, inner: [written] }),
  (written) => Array.from(Buffer.from(written), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  (written) => Buffer.from(` ${written} and more`).toString('base64'),
  (written) => Buffer.from(` ${written} and more`).toString('base64url'),
  (written) => Buffer.from(written).toString('hex'),
  (written) => Array.from(written, (char) => `&#${char.codePointAt(0)};`).join(''),
];

/** Ways to write words that a reader, or the program behind, takes for the same words. */
export const SPELLINGS: readonly Disguise[] = [
  (written) => written.replace(/ /g, '\n\t'),
  (written) => written.replace(/ /g, '/* so */'),
  (written) => written.replace(/ /g, ' -- so\n'),
  (written) => written.replace(/ /g, '\u00a0'),
  (written) => written.replace(/[A-Z]/gi, '$&\u200b'),
  (written) => written.replace(/[A-Z]/gi, (char) => String.fromCodePoint(char.charCodeAt(0) + 0xfee0)),
  (written) => written.replace(/[oO]/g, '\u043e').replace(/[aA]/g, '\u0430').replace(/[eE]/g, '\u0435'),
  (written) => written.replace(/[A-Z]/gi, '$&\u0301'),
  (written) => written.replace(/o/gi, "o''"),
  (written) => written.toLowerCase(),
];
