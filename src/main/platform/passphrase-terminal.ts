import type { ReadStream, WriteStream } from 'node:tty';

const ENTER = new Set(['\r', '\n']);
const ERASE = new Set(['\u0008', '\u007f']);
const ABORT = new Set(['\u0003', '\u0004']);

/**
 * Asks for one line at a terminal and shows nothing of what is typed. Nothing when the person presses Ctrl-C or Ctrl-D, or the terminal goes away.
 */
export function askHidden(question: string, input: ReadStream, output: WriteStream): Promise<string | undefined> {
  return new Promise((resolve) => {
    let typed: string[] = [];
    const wasRaw = input.isRaw;
    const end = (answer: string | undefined): void => {
      input.off('data', take);
      input.off('end', away);
      input.setRawMode(wasRaw);
      input.pause();
      output.write('\n');
      resolve(answer);
    };
    const away = (): void => end(undefined);
    const take = (chunk: string): void => {
      for (const key of chunk) {
        if (ENTER.has(key) || ABORT.has(key)) {
          end(ENTER.has(key) ? typed.join('') : undefined);
          return;
        }
        if (ERASE.has(key)) typed = typed.slice(0, -1);
        else if (key >= ' ') typed.push(key);
      }
    };
    input.setRawMode(true);
    input.setEncoding('utf8');
    input.on('data', take);
    input.once('end', away);
    input.resume();
    // Last: what is typed at once must find the terminal silent.
    output.write(question);
  });
}

/** Asks for a passphrase twice when it is to be a new one. Nothing when the person gave up or the two differ. */
export async function askPassphrase({ isNew, input, output }: { readonly isNew: boolean; readonly input: ReadStream; readonly output: WriteStream }): Promise<string | undefined> {
  const first = await askHidden(isNew ? 'A new passphrase for the secrets of Countersign: ' : 'Passphrase: ', input, output);
  if (first === undefined || !isNew) return first;
  const second = await askHidden('Once more: ', input, output);
  if (second === first) return first;
  if (second !== undefined) output.write('The two differ.\n');
  return undefined;
}
