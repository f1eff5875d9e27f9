/** The levels of log messages, from the least to the most severe (MCP, logging; RFC 5424). */
export const LOG_LEVELS: readonly unknown[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
