/** The scopes of the app, each of which a method or an event of this channel needs. */
export const scopes = [
  "app_mentions:read",
  "channels:history",
  "chat:write",
  "files:read",
  "files:write",
  "groups:history",
  "im:history",
  "mpim:history",
  "reactions:write",
  "users:read",
] as const;

/** From which an app for this channel is made: https://docs.slack.dev/reference/app-manifest */
export const manifest = {
  display_information: { name: "Gantry", description: "An agent that works where you let it." },
  features: {
    app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
    bot_user: { display_name: "Gantry", always_online: true },
  },
  oauth_config: { scopes: { bot: scopes } },
  settings: {
    event_subscriptions: {
      bot_events: ["app_mention", "message.channels", "message.groups", "message.im", "message.mpim"],
    },
    interactivity: { is_enabled: true },
    org_deploy_enabled: false,
    socket_mode_enabled: true,
    token_rotation_enabled: false,
  },
} as const;

/** Opens Slack's page for new apps with the manifest filled in. */
export const manifestAddress: string = `https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(JSON.stringify(manifest))}`;
