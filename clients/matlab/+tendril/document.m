function text = document(given)
%DOCUMENT  JSON text of a document: of a file by its name, of text as it stands, of a struct by tendril.json.
  if ~ischar(given)
    text = tendril.json(given);
  elseif any(given(1:find([~isspace(given), true], 1)) == '{')
    text = given;
  else
    file = fopen(given, 'rb');
    if file < 0, error('tendril:file', 'cannot read %s', given); end
    text = native2unicode(fread(file, [1 Inf], '*uint8'), 'UTF-8');
    fclose(file);
  end
end
