export interface ElectronRuntime {
  executablePath: string;
  version: string;
  source: 'override' | 'download' | 'registry';
}
export function electronRuntime(): Promise<ElectronRuntime>;
