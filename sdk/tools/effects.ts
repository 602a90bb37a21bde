/**
 * A path that a call will touch, as written and as the host resolved it (absolute, links followed
 * as far as they exist).
 */
export interface PathUse {
  readonly path: string;
  readonly resolved: string;
  readonly access: "read" | "write";
}

/**
 * The effects of a call on the world, stated by the tool, read by the guards; what is checked is
 * what is used.
 */
export interface Effects {
  readonly paths: readonly PathUse[];
  /** Shell command lines that will run, each whole. */
  readonly commands: readonly string[];
  /** Addresses that will be requested. */
  readonly urls: readonly string[];
  /** People and services outside that the call sends to. */
  readonly recipients?: readonly string[];
  /**
   * The sources that its result brings into the conversation, beside those that paths, commands and
   * addresses tell.
   */
  readonly brings?: Sources;
  readonly target?: Target;
  /**
   * True if the tool cannot say what the call touches: a guard asks, at every level of autonomy.
   */
  readonly unknown?: boolean;
}

/**
 * The one thing that a call acts on if the arguments only point at it, such as a button by its
 * number. It is asked for once more right before the run: if it is not the one that was decided on,
 * the call fails with APPROVAL_CHANGED.
 */
export interface Target {
  /** In words, for whoever decides. */
  readonly shown: string;
  /** Changes with whatever of it counts. */
  readonly digest: string;
}

/** The sources of what a conversation holds, each in a few words. */
export interface Sources {
  /** From outside: pages, other people's messages, services. */
  readonly material: readonly string[];
  /** The owner's own: files, memory, mail. */
  readonly private: readonly string[];
}

/** A tool's own statement of its effects; relative paths are relative to the workspace. */
export interface StatedEffects {
  readonly paths?: readonly { readonly path: string; readonly access: "read" | "write" }[];
  readonly commands?: readonly string[];
  readonly urls?: readonly string[];
  readonly recipients?: readonly string[];
  readonly brings?: Partial<Sources>;
  readonly target?: Target;
}
