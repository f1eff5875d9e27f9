/** Programs whose only work is to fetch another and run it. */
const RUNNERS: ReadonlySet<string> = new Set(['npx', 'uvx', 'bunx', 'pnpx']);

/** Programs that do so with one of these words first (`pnpm dlx`, `docker run`). */
const RUNNING_WORDS: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  ['npm', [['exec'], ['x']]],
  ['pnpm', [['dlx']]],
  ['yarn', [['dlx']]],
  ['bun', [['x']]],
  ['uv', [['tool', 'run']]],
  ['pipx', [['run']]],
  ['docker', [['run'], ['container', 'run']]],
  ['podman', [['run'], ['container', 'run']]],
  ['nerdctl', [['run']]],
]);

/** Whether a command is a package runner, whose process is worth nothing once it has answered (contract, 3.3: these are ephemeral by default). */
export function isPackageRunner(command: string, args: readonly string[]): boolean {
  const program = programName(command);
  const words = args.filter((arg) => !arg.startsWith('-'));
  // On Windows a runner is a script and stands behind `cmd /c`.
  if (program === 'cmd' && words[0]?.toLowerCase() === '/c' && words[1] !== undefined) return isPackageRunner(words[1], words.slice(2));
  if (RUNNERS.has(program)) return true;
  return RUNNING_WORDS.get(program)?.some((running) => running.every((word, index) => words[index] === word)) === true;
}

/** The last part of a path, without what Windows puts behind it. */
function programName(command: string): string {
  const name = command.slice(Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\')) + 1);
  return name.toLowerCase().replace(/\.(exe|cmd|bat|ps1)$/, '');
}
