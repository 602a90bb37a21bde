import type { CheckRow } from "./command.ts";

/** Questions to a person at the terminal. Each throws where they leave. */
export interface OnboardingQuestions {
  text(
    message: string,
    options?: {
      readonly initial?: string;
      /** Undefined where the text is right, else what is wrong with it. */
      readonly check?: (text: string) => string | undefined;
    },
  ): Promise<string>;
  /** What is typed is not shown. */
  secret(message: string): Promise<string>;
  yes(message: string, initial: boolean): Promise<boolean>;
}

/** Values by their keys in config.toml; undefined takes one out. */
export type OnboardingKeys = Readonly<Record<string, unknown>>;

/** How a channel or a tool is set up by `gantry onboard`: a fact of its plugin, so it is known before it is configured. */
export interface OnboardingStep {
  /** In the list of what can be set up: `Telegram`. */
  readonly title: string;
  readonly hint?: string;
  /** What it sets up, default a channel; tools are asked for by `gantry onboard --tools`. */
  readonly sets?: "channel" | "tool";
  /**
   * Asks, and gives the keys of config.toml. `look` runs the check of this step with the keys known
   * so far, writes nothing, and gives its rows: none if it cannot run.
   */
  ask(
    questions: OnboardingQuestions,
    look: (keys: OnboardingKeys) => Promise<readonly CheckRow[]>,
  ): Promise<OnboardingKeys>;
  /** The name of the plugin's {@link Check} that says whether these keys work; tried before anything is written. */
  readonly check?: string;
}
