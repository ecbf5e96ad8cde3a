declare module "python:files" {
  /** Where Python lies, its list of packages, what it weighs on the line, and file by file when it
   * is unpacked. */
  export const folder: string;
  export const lock: string;
  export const bytes: number;
  export const files: [path: string, size: number][];
}
