/** The place of the workspace's runs' folder in a confined process' root, until its run begins. */
export const VIEWS = "/.views";
/** The workspace itself in there, as the lower layer of each view. */
export const LOWER = "/.lower";

/** One run's view of the workspace. Relative paths. */
export interface View {
  /** The run's folder among those of its workspace. */
  readonly id: string;
  /** Names that are not to be there. */
  readonly hide: readonly string[];
  /** Names that stand as they are. */
  readonly hold: readonly string[];
}

/** The facts that a confined process is told if its runs have views. */
export interface ViewFacts {
  /** The folder of the workspace's runs. */
  readonly folder: string;
  /** A layer in there by which it shows whether a view can be mounted. */
  readonly trial: string;
}

/** The first message to the thread that mounts. */
export interface MounterFacts {
  readonly workspace: string;
}

export type ToMounter = { readonly enter: true } | View;

/** `namespace`: a descriptor of the view's mount namespace, which whoever is told closes. */
export type FromMounter =
  | { readonly up: true }
  | { readonly entered: true }
  | { readonly namespace: number }
  | { readonly failed: string };
