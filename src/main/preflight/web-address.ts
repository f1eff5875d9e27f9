/** No browser needs more. */
const LONGEST = 8_000;

/** Whether a text is an address of the web, with nothing before the host that could be taken for it. */
export function isWebAddress(text: unknown): text is string {
  if (typeof text !== 'string' || text.length > LONGEST || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password, hostname } = new URL(text);
  return username === '' && password === '' && hostname !== '';
}
