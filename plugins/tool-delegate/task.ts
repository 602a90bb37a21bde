/** A task that a conversation has handed on, as the store keeps it. */
export interface Task {
  /** Counted from 1 in each conversation. */
  readonly id: number;
  /**
   * The same for the same task when the message of its turn is worked on again; else of this task
   * alone.
   */
  readonly key: string;
  /** The beginning of what was asked. */
  readonly shown: string;
  /** Under whose name the conversation worked that handed it on. */
  readonly by: string | undefined;
  readonly isBackground: boolean;
  readonly state: "running" | "done" | "failed";
  /** The process that works on it. */
  readonly process: string;
  /** Its result; absent while it runs. */
  readonly text?: string;
  /** True once the conversation was given the result. */
  readonly isTold?: boolean;
}

/** A task as it is begun. */
export type NewTask = Pick<Task, "key" | "shown" | "by" | "isBackground">;

/** Returns what a conversation is told of a task whose process has ended before it. */
export const cutText = "The process ended while it was worked on, so part of it may be done.";

/** Returns the state of a task and, once it has ended, its result, as the model is told them. */
export function taskText(task: Task, isLive: boolean): string {
  const { id, shown, state, text = "" } = task;
  const head = `Task ${id} (${shown})`;
  if (state === "running") return `${head}: ${isLive ? "still being worked on." : cutText}`;
  return `${head}${state === "failed" ? " has failed" : ""}:\n${text}`;
}
