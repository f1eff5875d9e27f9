/**
 * One door for every command of package.json: puts in place what the command needs and is not there yet, then runs
 * it. Runs on any Node from 18, before anything is installed, without dependencies. One line on stderr for each step
 * that really does work, none when all is in place.
 *
 *     node scripts/setup.mjs <demo|test|start|gateway|cli|package> [arguments]
 */
import path from 'node:path';
import { appCommand, hasDisplay } from './setup/app-command.mjs';
import { electronRuntime } from './electron-runtime.mjs';
import { ENTRIES, GATEWAY_NODE_FLAGS, ensureBuilt } from './setup/build.mjs';
import { ensureDebianPackages } from './setup/debian-packages.mjs';
import { ensureDependencies, findNode } from './setup/dependencies.mjs';
import { ROOT, runInForeground, runScript, SetupError, userFolder } from './setup/process.mjs';
import { runTests } from './setup/test-run.mjs';

/** @type {Record<string, (args: string[]) => Promise<number>>} */
const commands = {
  async demo(args) {
    await ensureDependencies();
    await ensureDebianPackages('running', ...(hasDisplay() ? [] : ['desktop']));
    await electronRuntime();
    await ensureBuilt();
    return node('scripts/demo.mjs', args);
  },

  async start(flags) {
    if (!hasDisplay()) {
      throw new SetupError('There is no display to show windows on; "npm run gateway" runs the gateway without one.', 2);
    }
    await ensureDependencies();
    await ensureDebianPackages('running');
    await ensureBuilt();
    const { command, args, env, remove } = await appCommand(flags);
    try {
      return await runInForeground(command, args, { cwd: userFolder(), env });
    } finally {
      remove();
    }
  },

  async gateway(flags) {
    await ensureDependencies();
    await ensureBuilt();
    return node(ENTRIES.headless, flags, GATEWAY_NODE_FLAGS);
  },

  async cli(args) {
    await ensureDependencies();
    await ensureBuilt();
    return node(ENTRIES.cli, args);
  },

  async package(args) {
    await ensureDependencies();
    await ensureDebianPackages('packaging');
    await electronRuntime();
    await ensureBuilt();
    return node('scripts/package.mjs', args);
  },

  test: runTests,
};

/** Runs where the user is: relative paths in the arguments mean what the user meant. */
function node(script, args, nodeFlags = []) {
  return runInForeground(findNode(), [...nodeFlags, path.join(ROOT, script), ...args], { cwd: userFolder() });
}

await runScript(async () => {
  const [name, ...args] = process.argv.slice(2);
  const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined;
  if (!command) throw new SetupError(`Usage: node scripts/setup.mjs <${Object.keys(commands).join('|')}> [arguments]`, 2);
  return command(args);
});
