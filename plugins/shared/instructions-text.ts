import path from "node:path";
import { expandHome, followLinks, isInside, secretFiles } from "@gantry/sdk/node";
import { plainFileBytes } from "./plain-file.ts";

/** Bytes of a file that are read. */
const most = 128 * 1024;
/** Files of the service that hold keys, beside what is secret by its name. */
const own = ["config.toml", "config.toml.*", "service.env", "gantry.db*"];

/** The folders of the instructions, and those that are closed to them as they are to tools. */
export interface InstructionPlaces {
  readonly configDir: string;
  readonly secret: readonly string[];
  readonly blocked: readonly string[];
}

/** The errors for a file that cannot be read, and for one that a key of `[security]` closes. */
export interface InstructionFaults {
  unreadable(file: string, why: string): Error;
  closed(file: string, key: string): Error;
}

/**
 * Returns the text, or that of the file that it names as `file:` and a path, read for every turn,
 * so that a change needs no restart. Throws as `faults` says.
 */
export async function instructionsText(
  written: string,
  places: InstructionPlaces,
  faults: InstructionFaults,
): Promise<string> {
  if (!written.startsWith("file:")) return written;
  const file = path.resolve(places.configDir, expandHome(written.slice("file:".length).trim()));
  const real = await openTarget(file, places, faults);
  try {
    const data = plainFileBytes(real, most);
    if (!data) throw Object.assign(new Error(), { code: "no plain file" });
    return new TextDecoder().decode(data).trim();
  } catch (error) {
    throw faults.unreadable(file, (error as NodeJS.ErrnoException).code ?? String(error));
  }
}

/**
 * Returns where the file is. What goes to the model with each request must be nothing that no tool
 * may read.
 */
async function openTarget(
  file: string,
  { secret, blocked }: InstructionPlaces,
  faults: InstructionFaults,
): Promise<string> {
  const real = await followLinks(file);
  const isSecret = secretFiles([...secret, ...own]);
  if ([file, real].some((at) => isSecret(path.relative("/", at)))) throw faults.closed(file, "secret_files");
  for (const place of blocked) {
    const closed = path.resolve(expandHome(place));
    const both = [closed, await followLinks(closed)];
    if (both.some((at) => isInside(file, at) || isInside(real, at)))
      throw faults.closed(file, "blocked_paths");
  }
  return real;
}
