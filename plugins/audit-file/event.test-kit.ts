import type { AuditEvent } from "@gantry/sdk";

export function event(over: Partial<AuditEvent> = {}): AuditEvent {
  return {
    timestamp: new Date().toISOString(),
    event_type: "tool_call",
    tool: "shell",
    args: { command: "ls -l" },
    result: "allowed",
    user: "cli:owner",
    session_id: "s1",
    ...over,
  };
}
