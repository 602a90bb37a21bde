import type { LogWriter } from "@gantry/host";
import { counted } from "@gantry/sdk";

const pauseMs = 60_000;
const maxKinds = 200;

interface Kind {
  unsaid: number;
}

/**
 * Writes a warning or an error once a minute and then how often it came meanwhile: what fails for
 * one message fails for all that wait.
 */
export function foldedWriter(write: LogWriter): LogWriter {
  const kinds = new Map<string, Kind>();
  return (level, detail, message) => {
    const isTrouble = level === "warn" || level === "error";
    if (!isTrouble || kinds.size >= maxKinds) return write(level, detail, message);
    const key = `${level} ${message}`;
    const known = kinds.get(key);
    if (known) return void (known.unsaid += 1);

    const kind: Kind = { unsaid: 0 };
    kinds.set(key, kind);
    const end = (): void => {
      if (kind.unsaid === 0) return void kinds.delete(key);
      write(level, { times: kind.unsaid }, `${message} (${counted(kind.unsaid, "more time")} in a minute)`);
      kind.unsaid = 0;
      setTimeout(end, pauseMs).unref();
    };
    setTimeout(end, pauseMs).unref();
    write(level, detail, message);
  };
}
