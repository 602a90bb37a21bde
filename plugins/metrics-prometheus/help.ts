/** Says in one sentence each what a metric of Gantry holds; `gantry_` comes before each name. */
export const help: Readonly<Record<string, string>> = {
  alerts_total: "Troubles that began, by part.",
  approval_seconds: "Time from a question to its decision, by channel.",
  approvals_total: "Questions to people, by what became of them.",
  channel_up: "1 if the channel is connected to its platform, else 0.",
  cpu_seconds: "Processor time that the process has used.",
  dead_letters: "Dead letters, which stay unanswered, of all nodes of the store.",
  disk_free_bytes: "Free space on the disk of the configuration directory.",
  http_requests_total: "Answered HTTP requests, by method, route and status.",
  info: "Always 1; the label holds the version that runs.",
  messages_running: "Messages that are being answered, of all nodes of the store.",
  messages_total: "Messages of channels, once for each state that they reached.",
  messages_waiting: "Messages that wait, of all nodes of the store.",
  model_first_piece_seconds: "Time until a model begins its answer, by provider.",
  model_request_seconds: "Duration of requests to models, by provider.",
  model_requests_total: "Requests to models; the outcome is ok or the code of the failure.",
  model_tokens_total: "Tokens by kind; cached ones are part of the input.",
  open_files: "Open file descriptors of the process.",
  plugins_failed: "Plugins that did not start.",
  provider_left_alone: "1 while a failing provider gets no requests; absent if it gets them.",
  ready: "1 if every part that the service needs works, else 0.",
  resident_memory_bytes: "Memory of the process that is in RAM.",
  store_up: "1 if the store answers, else 0.",
  telemetry_spans_dropped_total: "Spans that did not reach the OTLP collector, by reason.",
  tool_call_seconds: "Duration of tool calls that ran, by tool.",
  tool_calls_stopped_total: "Tool calls that did not run, by decision and code.",
  tool_calls_total: "Tool calls that ran, by tool and outcome.",
  trouble: "1 while the part is in trouble, 0 once that is over.",
  turn_seconds: "Duration of turns, by channel.",
  turns_total: "Turns that ended, by channel and by why they ended.",
  uptime_seconds: "Time since the process started.",
};

/** Yields each line, and before the type of a metric that {@link help} knows its words. */
export function* withHelp(lines: Iterable<string>): Generator<string> {
  for (const line of lines) {
    const [, name = ""] = /^# TYPE gantry_(\w+) /.exec(line) ?? [];
    if (Object.hasOwn(help, name)) yield `# HELP gantry_${name} ${help[name]}`;
    yield line;
  }
}
