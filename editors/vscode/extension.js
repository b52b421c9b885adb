// Starts `longhand lsp` and lets VS Code speak to it.
'use strict';
const { workspace, window } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = async () => {
  const settings = workspace.getConfiguration('longhand');
  const command = settings.get('path');
  const documentSelector = [{ scheme: 'file', language: 'longhand' }, { scheme: 'untitled', language: 'longhand' }];
  if (settings.get('lessons')) documentSelector.push({ scheme: 'file', language: 'markdown' });
  client = new LanguageClient('longhand', 'Longhand', { command, args: ['lsp'] }, { documentSelector });
  try {
    await client.start();
  } catch (error) {
    window.showWarningMessage(`Longhand: ${command} lsp cannot be started (${error.message}). Colours work without it; "longhand.path" names the program.`);
  }
};

exports.deactivate = () => client?.stop();
