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

/** How a channel or a tool is set up by `gantry onboard`: a fact of its plugin, so it is known before it is configured. */
export interface OnboardingStep {
  /** In the list of what can be set up: `Telegram`. */
  readonly title: string;
  readonly hint?: string;
  /** What it sets up, default a channel; tools are asked for by `gantry onboard --tools`. */
  readonly sets?: "channel" | "tool";
  /** Asks, and gives the keys of config.toml. */
  ask(questions: OnboardingQuestions): Promise<Readonly<Record<string, unknown>>>;
  /** The name of the plugin's {@link Check} that says whether these keys work; tried before anything is written. */
  readonly check?: string;
}
