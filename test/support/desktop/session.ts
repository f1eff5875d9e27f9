import fs from 'node:fs';
import path from 'node:path';
import { giveToOrdinaryUser, isRoot } from '../../../scripts/setup/ordinary-user.mjs';
import { endChild, type Running, runTool, startProgram } from './processes.ts';
import { until } from './until.ts';

const SCREEN = '1280x800x24';
const X11_SOCKETS = '/tmp/.X11-unix';

/** What would lead programs to another screen, bus, home or Node than this desktop's. */
const FOREIGN = /^(WAYLAND_DISPLAY|XAUTHORITY|DBUS_.*|XDG_.*|DESKTOP_SESSION|GNOME_.*|KDE_.*|ELECTRON_.*|NODE_OPTIONS|npm_.*|USER|LOGNAME)$/;

export interface Session {
  display: string;
  env: Record<string, string>;
  stop(): Promise<void>;
}

/** Starts the programs of a desktop one after the other, each when the one it needs is ready. */
export async function startSession({ home, keyringPassword }: { home: string; keyringPassword?: string }): Promise<Session> {
  const env = ownEnvironment(home);
  const logDir = privateFolder(home, 'logs');
  env['XDG_RUNTIME_DIR'] = privateFolder(home, 'run');
  const running: Running[] = [];
  const start = (command: string[], input: 'ignore' | 'pipe' = 'ignore') => {
    const program = startProgram(command, { env, logDir, input });
    running.push(program);
    return program;
  };
  const stop = async () => {
    for (const program of running.reverse()) await endChild(program.child);
  };

  try {
    if (isRoot() && !fs.existsSync(X11_SOCKETS)) {
      fs.mkdirSync(X11_SOCKETS);
      fs.chmodSync(X11_SOCKETS, 0o1777); // an ordinary user's server could not make it like that
    }
    // The server picks a free number itself and says which, once it takes connections.
    const screen = start(['Xvfb', '-displayfd', '3', '-screen', '0', SCREEN, '-ac', '-noreset', '-nolisten', 'tcp']);
    const display = `:${(await screen.announcement).trim()}`;
    env['DISPLAY'] = display;

    const bus = start(['dbus-daemon', '--session', '--nofork', '--nopidfile', '--print-address=3']);
    env['DBUS_SESSION_BUS_ADDRESS'] = await bus.announcement;

    // Openbox announces itself before it takes new windows; one that comes in between stays unmapped for ever. It runs
    // this command when it is through.
    const managed = path.join(home, 'run', 'managed');
    start(['openbox', '--sm-disable', '--startup', `touch ${managed}`]);
    await until('the window manager', () => fs.existsSync(managed));
    const corner = ['--edge', 'bottom', '--align', 'right', '--widthtype', 'request', '--height', '26'];
    start(['trayer', ...corner, '--SetDockType', 'true', '--SetPartialStrut', 'true']);
    start(['dunst']);
    await until('the notification daemon', () => isOnBus(env, 'org.freedesktop.Notifications'));
    await until('the tray', () => runTool('xdotool', ['search', '--onlyvisible', '--class', 'trayer'], env));
    if (keyringPassword !== undefined) {
      const keyring = start(['gnome-keyring-daemon', '--unlock', '--foreground', '--components=secrets'], 'pipe');
      keyring.child.stdin?.end(keyringPassword);
      await until('the keyring', () => isOnBus(env, 'org.freedesktop.secrets'));
    }
    return { display, env, stop };
  } catch (error) {
    await stop();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The desktop did not start: ${reason}\n${readLogs(logDir)}`, { cause: error });
  }
}

function ownEnvironment(home: string): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name, value]) => value !== undefined && !FOREIGN.test(name));
  // Without a bridge no accessibility bus is started beside ours, which would outlive the desktop.
  return { ...(Object.fromEntries(inherited) as Record<string, string>), HOME: home, NO_AT_BRIDGE: '1' };
}

function privateFolder(home: string, name: string): string {
  const folder = path.join(home, name);
  fs.mkdirSync(folder, { mode: 0o700 });
  giveToOrdinaryUser(folder);
  return folder;
}

async function isOnBus(env: NodeJS.ProcessEnv, name: string): Promise<boolean> {
  const question = ['--dest=org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus.NameHasOwner', `string:${name}`];
  return (await runTool('dbus-send', ['--session', '--print-reply', ...question], env)).includes('boolean true');
}

function readLogs(logDir: string): string {
  const tail = (name: string) => `${name}: ${fs.readFileSync(path.join(logDir, name), 'utf8').slice(-500)}`;
  return fs.readdirSync(logDir).map(tail).join('\n');
}
