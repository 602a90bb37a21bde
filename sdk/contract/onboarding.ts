import type { CheckRow } from "./command.ts";

/** Questions to a person at the terminal. Each throws if the person leaves. */
export interface OnboardingQuestions {
  text(
    message: string,
    options?: {
      readonly initial?: string;
      /** Returns what is wrong with the text, or undefined if it is right. */
      readonly check?: (text: string) => string | undefined;
    },
  ): Promise<string>;
  /** Asks for a text that is not shown as it is typed. */
  secret(message: string): Promise<string>;
  yes(message: string, initial: boolean): Promise<boolean>;
}

/** Values by their keys in config.toml; undefined takes one out. */
export type OnboardingKeys = Readonly<Record<string, unknown>>;

/**
 * The way `gantry onboard` sets up a channel or a tool: a fact of its plugin, so it is known before
 * it is configured.
 */
export interface OnboardingStep {
  /** In the list of what can be set up: `Telegram`. */
  readonly title: string;
  readonly hint?: string;
  /**
   * The kind of thing that it sets up, default a channel; `gantry onboard --tools` asks for tools.
   */
  readonly sets?: "channel" | "tool";
  /**
   * Asks, and resolves to the keys of config.toml. `look` runs the check of this step with the keys
   * known so far, writes nothing, and resolves to its rows: none if it cannot run.
   */
  ask(
    questions: OnboardingQuestions,
    look: (keys: OnboardingKeys) => Promise<readonly CheckRow[]>,
  ): Promise<OnboardingKeys>;
  /**
   * The name of the plugin's {@link Check} that says whether these keys work; tried before anything
   * is written.
   */
  readonly check?: string;
}
