// Every word of the explorer in both languages. The two objects have the same keys; {name} is filled in by look.t.
'use strict';

const lookStrings = {
  en: {
    // Shell
    parameters: '{n} parameters',
    no_model: 'without a model',
    language: 'Language',
    theme: 'Colours',
    theme_auto: 'Colours as the system has them',
    theme_light: 'Light',
    theme_dark: 'Dark',
    sentence: 'Sentence',
    choose_sentence: 'Choose a sentence',
    source: 'Source',
    translation: 'Translation',
    translation_given: 'Translation (given)',
    views: 'Views',
    tab_translation: 'Translation',
    tab_attention: 'Attention',
    tab_beam: 'Beam',
    tab_positions: 'Positions',
    tab_steps: 'Step by step',
    foot: 'Written by heed look {version}. Everything is in this one file; nothing is fetched.',
    close: 'Close',
    help: 'Keyboard help',
    help_intro: 'Letter keys work while the focus is inside the view.',
    key_arrows: '← →',
    key_arrows_does: 'previous or next word',
    key_updown: '↑ ↓',
    key_updown_does: 'to the other sentence',
    key_enter: 'Enter',
    key_enter_does: 'select the word, or release it',
    key_escape: 'Esc',
    key_escape_does: 'clear the selection',
    key_layer: 'l  L',
    key_layer_does: 'next or previous layer',
    key_head: 'h  H',
    key_head_does: 'next or previous head',
    key_part: 'e  d  c',
    key_part_does: 'encoder, decoder or cross-attention',
    key_mean: 'm',
    key_mean_does: 'mean over layers and heads',
    key_text: '/',
    key_text_does: 'to the sentence',
    key_help: '?',
    key_help_does: 'this help',
    csv: 'Save as CSV',

    // Translation

    // Attention

    // Beam

    // Positions

    // Step by step
  },
  ko: {
    // Shell
    parameters: '매개변수 {n}개',
    no_model: '모델 없음',
    language: '언어',
    theme: '색상',
    theme_auto: '시스템 설정에 따름',
    theme_light: '밝게',
    theme_dark: '어둡게',
    sentence: '문장',
    choose_sentence: '문장 고르기',
    source: '원문',
    translation: '번역문',
    translation_given: '번역문 (직접 지정)',
    views: '보기',
    tab_translation: '번역',
    tab_attention: '어텐션',
    tab_beam: '빔 탐색',
    tab_positions: '위치 인코딩',
    tab_steps: '단계별 계산',
    foot: 'heed look {version}으로 만든 페이지입니다. 모든 내용이 이 파일 하나에 들어 있으며 외부에서 아무것도 불러오지 않습니다.',
    close: '닫기',
    help: '키보드 사용법',
    help_intro: '글자 키는 초점이 보기 안에 있을 때만 작동합니다.',
    key_arrows: '← →',
    key_arrows_does: '이전 단어, 다음 단어',
    key_updown: '↑ ↓',
    key_updown_does: '반대쪽 문장으로',
    key_enter: 'Enter',
    key_enter_does: '단어 선택 또는 선택 해제',
    key_escape: 'Esc',
    key_escape_does: '선택 지우기',
    key_layer: 'l  L',
    key_layer_does: '다음 층, 이전 층',
    key_head: 'h  H',
    key_head_does: '다음 헤드, 이전 헤드',
    key_part: 'e  d  c',
    key_part_does: '인코더, 디코더, 교차 어텐션',
    key_mean: 'm',
    key_mean_does: '층과 헤드의 평균',
    key_text: '/',
    key_text_does: '문장으로 이동',
    key_help: '?',
    key_help_does: '이 도움말',
    csv: 'CSV로 저장',

    // Translation

    // Attention

    // Beam

    // Positions

    // Step by step
  },
};
