import { Observers, type Logger, type Observer } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import type { Registry } from "../plugins/registry.ts";

type Told = Exclude<keyof Observer, "name">;

/** Tells every observer beside the work; one that fails is logged and stops nobody. */
export class Telling {
  readonly #registry: Registry;
  readonly #log: Logger;

  constructor(registry: Registry, log: Logger) {
    this.#registry = registry;
    this.#log = log;
  }

  tell<K extends Told>(what: K, report: Parameters<NonNullable<Observer[K]>>[0]): void {
    for (const observer of this.#registry.get(Observers)?.values() ?? []) {
      const told = async (): Promise<void> =>
        (observer[what] as ((about: unknown) => void) | undefined)?.(report);
      void told().catch((error: unknown) => {
        this.#log.error(
          { observer: observer.name, err: asError(error) },
          `The observer ${observer.name} failed.`,
        );
      });
    }
  }
}
