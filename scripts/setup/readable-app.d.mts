export interface ReadableApp {
  appDir: string;
  executablePath: string;
  remove(): void;
}
export function readableApp(executablePath: string): ReadableApp;
