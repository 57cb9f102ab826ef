// The dialog for credentials, instead of that of Swagger UI: each field has the name of its security scheme. The element
// `dialog` keeps the focus, is closed by Escape, and gives the focus back.

/** A plugin of Swagger UI: the component `authorizationPopup`. */
function credentialsDialog({ React: { createElement } }) {
  const open = (dialog) => dialog?.showModal();

  function CredentialsDialog({ authSelectors, authActions, getComponent }) {
    const schemes = authSelectors.shownDefinitions().toJS().flatMap(Object.entries);
    const authorized = authSelectors.authorized().toJS();

    function apply({ currentTarget }) {
      const data = new FormData(currentTarget);
      for (const [name, schema] of schemes) {
        const [first, password] = toFields(name, schema).map(({ label }) => data.get(label));
        const value = password === undefined ? first : { username: first, password };
        if (first || password) authActions.authorize({ [name]: { name, schema, value } });
        else if (authorized[name]) authActions.logout([name]);
      }
    }

    const showScheme = ([name, scheme]) =>
      createElement(
        'div',
        { key: name },
        toFields(name, scheme, authorized[name]?.value).map(({ label, ...input }) => {
          const field = createElement('input', { name: label, 'aria-describedby': `about-${name}`, ...input });
          return createElement('label', { key: label }, label, field);
        }),
        createElement(
          'div',
          { id: `about-${name}` },
          scheme.type === 'apiKey' ? `${scheme.in} ${scheme.name}` : `http ${scheme.scheme}`,
          createElement(getComponent('Markdown', true), { source: scheme.description }),
        ),
      );

    return createElement(
      'dialog',
      {
        ref: open,
        onClose: () => authActions.showDefinitions(false),
        closedby: 'any',
        'aria-labelledby': 'credentials',
      },
      createElement('h2', { id: 'credentials' }, 'Credentials'),
      createElement(
        'form',
        { method: 'dialog', onSubmit: apply },
        schemes.map(showScheme),
        createElement('p', null, 'An empty field is not sent.'),
        createElement('button', { className: 'btn authorize' }, 'Authorize'),
        createElement('button', { className: 'btn', type: 'button', onClick: cancel }, 'Cancel'),
      ),
    );
  }
  return { components: { authorizationPopup: CredentialsDialog } };
}

function cancel({ currentTarget }) {
  currentTarget.closest('dialog').close();
}

// The fields of a security scheme, with the value that was given before: two for HTTP Basic, one for all others.
function toFields(name, { scheme = '' }, value) {
  const secret = { type: 'password', autoComplete: 'new-password' };
  if (scheme.toLowerCase() !== 'basic') return [{ label: name, defaultValue: value, ...secret }];
  return [
    { label: `${name} username`, defaultValue: value?.username, type: 'text', autoComplete: 'off' },
    { label: `${name} password`, defaultValue: value?.password, ...secret },
  ];
}
