import type { Command, CommandContext, CommandInput } from "@gantry/sdk";
import type { Host } from "@gantry/host";
import type { Installation } from "../installation.ts";

/** The context of the host's own words: a plugin's word gets less. */
export interface HostCommandContext extends CommandContext {
  readonly input: CommandInput;
  readonly session: Installation;
  readonly debug: boolean;
  /** Starts the host with its plugins on first use. */
  host(): Promise<Host>;
}

/** A word that every host has; its code is imported when it is run. */
export interface HostCommand extends Omit<Command, "run"> {
  /** Slots that this word never reads; plugins that fill nothing else are not imported for it. */
  readonly unused?: readonly string[];
  /**
   * True if every variable of the configuration must be set: this word runs tools or turns, or
   * serves.
   */
  readonly needsVariables?: boolean;
  load(): Promise<{ run(run: HostCommandContext): Promise<number> }>;
}
