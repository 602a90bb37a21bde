import { many, one } from "../contract/slot.ts";
import type { Tool, ToolHints, ToolInput } from "./tool.ts";
import { all, having, mayHave } from "../contract/shape.ts";

/**
 * Tools that are known only at run time, such as those of a server. They are named in one space
 * with all other tools: of two of a name the one that was there first counts. A tool of a source
 * that states no effects is taken for one that cannot.
 */
export interface ToolSource {
  /** Also what its tools name as their {@link Tool.source}, if they name none. */
  readonly name: string;
  /**
   * Returns all tools that there are now. Asked for when somebody first needs to know, and again
   * after a change; what it throws is logged, and it is asked again later. It has 10 s.
   */
  tools(signal: AbortSignal): Promise<readonly Tool[]>;
  /** Called once, before the first list: it calls `changed` whenever the list is another. */
  onChange?(changed: () => void): void;
}

/** Sealed, as tools are. */
export const ToolSources = many<ToolSource>("tool-sources", all(having("tools"), mayHave("onChange")), true);

/** A tool as it may be read; running it stays with the host. */
export interface ToolFacts {
  readonly name: string;
  readonly description: string;
  readonly input: ToolInput;
  readonly hints?: ToolHints;
  readonly source?: string;
  /** {@link Tool.deferred} */
  readonly deferred?: boolean;
  /** {@link Tool.atTerminal} */
  readonly atTerminal?: "command" | "list";
}

/**
 * The tools that can be called now, by name; asked while a tool runs, those that its turn has.
 * Filled by the host.
 */
export interface ToolCatalog {
  list(): Promise<readonly ToolFacts[]>;
}
export const ToolCatalog = one<ToolCatalog>("tool-catalog");
