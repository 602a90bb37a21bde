import { readFileSync } from "node:fs";

declare const GANTRY_VERSION: string | undefined;

/** Written in by the build; read from package.json when run from source. */
export const version: string =
  typeof GANTRY_VERSION === "string"
    ? GANTRY_VERSION
    : (JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8")) as { version: string })
        .version;
